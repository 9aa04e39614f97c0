/* placeholder */ typedef int asp_solver_placeholder;
