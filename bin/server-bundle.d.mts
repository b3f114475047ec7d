export type FoundBundle = { folder: string; reason?: never } | { folder?: never; reason: string }

export declare function bundlesFolder(root: string): string
export declare function findBundle(root: string): FoundBundle
