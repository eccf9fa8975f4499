/**
 * MikroORM takes options that are left out, such as an address or a schema, from variables of its own: only our options
 * count.
 */
export function forgetOrmVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) if (name.startsWith('MIKRO_ORM_')) delete environment[name];
}
