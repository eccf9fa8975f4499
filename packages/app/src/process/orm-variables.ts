/** MikroORM takes what our options leave out, an address or a schema for one, from variables of its own: only we say. */
export function forgetOrmVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) if (name.startsWith('MIKRO_ORM_')) delete environment[name];
}
