export declare function buildServer(root: string): Promise<void>
export declare function listWorkers(root: string): string[]
