/* placeholder */ typedef int asp_integrate_placeholder;
