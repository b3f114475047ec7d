import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { commandEnvironment } from './terrane-process.ts'
import { patienceMs } from './until.ts'

const root = join(import.meta.dirname, '..', '..')

/** Returns the code blocks of a language in a document, with the text of the heading above each. */
export function blocksOf(document: string, language: string): { heading: string; code: string }[] {
  const blocks: { heading: string; code: string }[] = []
  let heading = ''
  let open: string[] | undefined
  for (const line of readFileSync(join(root, document), 'utf8').split('\n')) {
    if (open === undefined && line.startsWith('#')) heading = line.replace(/^#+ /, '')
    if (line === '```' && open !== undefined) {
      blocks.push({ heading, code: open.join('\n') })
      open = undefined
    } else if (open !== undefined) open.push(line)
    else if (line === `\`\`\`${language}`) open = []
  }
  return blocks
}

export interface CommandOutput {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Shell code that makes `curl` fail if the server refuses a request, and with it all the commands. The same
 * applies to Terrane commands, except for the state of monitoring, which may be unhealthy. Services of the
 * machine are not touched.
 */
const strictCommands = `failed=0
curl() { command curl -sS --fail-with-body "$@" || failed=1; echo; }
bin/terrane.mjs() { command bin/terrane.mjs "$@" || [[ "$*" =~ ^monitoring( status)?$ ]] || failed=1; }
terrane() { bin/terrane.mjs "$@"; }
sudo() { "$@" || failed=1; }
systemctl() { echo "systemctl $*"; }`

/**
 * Runs commands of a document in the folder of the project, with `commandEnvironment`; code 1 where a request was refused or a
 * command failed.
 */
export async function runCommands(
  commands: string,
  env: Record<string, string>,
  folder = root,
): Promise<CommandOutput> {
  const cleanups: (() => void)[] = []
  const script = `${strictCommands}\n${commands}\nexit $failed`
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: commandEnvironment({ after: (work) => cleanups.push(work) }, env),
    timeout: patienceMs,
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const code = await ended
  for (const cleanUp of cleanups) cleanUp()
  return { code, stdout, stderr }
}
