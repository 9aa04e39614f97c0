typedef int asp_collide_placeholder;
