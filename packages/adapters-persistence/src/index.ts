export { type Role, roles } from './roles.ts';
