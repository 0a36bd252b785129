import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real processes, real disks: two at a time is what a small machine carries without starving them.
    maxWorkers: 2,
  },
});
