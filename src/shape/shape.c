/* placeholder */ typedef int asp_shape_placeholder;
