import type { SourceFile } from './imports.ts'

/** Modules that read settings and then open a data directory or look for a running server. */
const programs = ['src/app/app.ts', 'src/cli/command-line.ts', 'src/main.ts']
/** These files set a separate data directory for each command and use no server of the machine. */
const starters = [
  'tests/support/terrane-process.ts',
  'tests/support/terminal.ts',
  // Starts copies of the project, each with its own data directory.
  'tests/integration/server-bundle.test.ts',
]

/**
 * Returns one message for each test that could use `./data` or a server on the default port: tests that run
 * the program directly instead of through `tests/support/terrane-process.ts`, or that import it without
 * choosing a data directory.
 */
export function testEnvironmentProblems(files: Pick<SourceFile, 'path' | 'text' | 'imports'>[]): string[] {
  return files.filter(isTest).flatMap(({ path, text, imports }) => {
    if (/['"/]terrane\.mjs['"]/.test(text) && !starters.includes(path))
      return [`${path} starts bin/terrane.mjs by itself: use startTerrane or runCommands of tests/support`]
    const program = programs.find((one) => imports.includes(one) && importsValues(text, one))
    if (program === undefined || text.includes('TERRANE_DATA')) return []
    return [`${path} uses ${program} without a TERRANE_DATA of its own: ./data is not for tests`]
  })
}

function isTest({ path }: Pick<SourceFile, 'path'>): boolean {
  return path.startsWith('tests/') || /^(?:src|web)\/.*\.test\.ts$/.test(path)
}

/** True if something other than types is imported from the module. */
function importsValues(text: string, module: string): boolean {
  const name = module.split('/').at(-1)?.replace('.', '\\.')
  return new RegExp(`^import (?!type\\b)[^'"]*['"][^'"]*/${name}['"]`, 'm').test(text)
}
