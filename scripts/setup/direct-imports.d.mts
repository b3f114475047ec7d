export declare function importDirectly(
  path: string,
  text: string,
  textOf: (path: string) => string | undefined,
): string
