/* placeholder */ typedef int asp_io_placeholder;
