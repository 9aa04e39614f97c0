/* placeholder */ typedef int asp_world_placeholder;
