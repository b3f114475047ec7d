import type { SpawnSyncOptions } from 'node:child_process'

export declare class SetupError extends Error {}
export declare function say(text: string): void
export declare function run(
  program: string,
  args: string[],
  options?: SpawnSyncOptions,
): { ok: boolean; output: string }
export declare function runNpm(args: string[], cwd: string): { ok: boolean; output: string }
