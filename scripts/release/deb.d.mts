export declare function buildDeb(folder: string, options?: { compression?: 'xz' | 'gzip' }): Promise<string>
export declare function packDeb(stage: string, folder: string, version: string, compression?: string): string
