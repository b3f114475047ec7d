export declare function lineMap(
  map: { sources: string[]; mappings: string },
  isSelected: (source: string) => boolean,
): { version: number; sources: string[]; names: string[]; mappings: string } | undefined
