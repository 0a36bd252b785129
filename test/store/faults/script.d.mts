export declare function judge(dataDir: string, acknowledged: number): Promise<string[]>;
