/** Folders of test files by tier. CONTRIBUTING.md has the criterion. */
export const tiers = {
  standard: [
    'scripts/**/*.test.ts',
    '{src,packages}/**/*.test.ts',
    'web/**/*.test.ts',
    'tests/{support,contract,integration,clients,e2e,pages}/**/*.test.ts',
  ],
  extended: ['tests/extended/**/*.test.ts'],
  release: ['tests/**/release/**/*.test.ts'],
} as const satisfies Record<string, readonly string[]>

export type Tier = keyof typeof tiers
