export declare const CONTROL_BYTES: number;
