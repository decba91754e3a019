/** generate writes the types of openapi.yaml as TypeScript. */
export function generate(): Promise<string>
