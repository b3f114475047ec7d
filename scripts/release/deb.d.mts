export declare function buildDeb(folder: string, version?: string): Promise<string>
export declare function packDeb(stage: string, folder: string, version: string, compression?: string): string
