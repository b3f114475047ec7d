export type FoundBundle = { folder: string; reason?: never } | { folder?: never; reason: string }

export declare function bundlesFolder(root: string): string
export declare function findBundle(root: string): FoundBundle
export declare function recordFile(
  path: string,
  nowMs?: number,
): { text: string; record: [hash: string, sizeBytes?: number, modifiedMs?: number, changedMs?: number] }
