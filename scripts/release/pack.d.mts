export declare function packInto(folder: string): Promise<string>
