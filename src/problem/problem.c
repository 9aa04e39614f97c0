/* placeholder */ typedef int asp_problem_placeholder;
