/* placeholder */ typedef int asp_linalg_placeholder;
