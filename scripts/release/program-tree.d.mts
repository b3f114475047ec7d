export declare function writeProgram(root: string, folder: string): Promise<{ version: string }>
