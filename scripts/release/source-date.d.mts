export declare function sourceDateEpoch(root: string): string
