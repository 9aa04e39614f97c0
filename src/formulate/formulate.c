/* placeholder */ typedef int asp_formulate_placeholder;
