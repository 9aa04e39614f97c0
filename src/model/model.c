/* placeholder */ typedef int asp_model_placeholder;
