import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startTerrane } from '../../tests/support/terrane-process.ts'
import type { Flow, FlowStep } from './flows.ts'
import { formatAnswer } from './format-answer.ts'

const run = promisify(execFile)
const password = 'transcript-password'
const maxTries = 400
/** Replaces the folder of the server in the documents. */
const shownFolder = '/srv/terrane'
/** Replaces the web server of the remote data in the documents. */
const shownFiles = '127.0.0.1:8090'
/** Longer than the server takes to respond that an import was created. */
const answerMs = 500
const origin = [
  'Commands and answers as `node scripts/transcripts.ts` recorded them from a new server, which runs in `/srv/terrane`.',
  'Of the headers, `Location` alone is shown; JSON is set in lines.',
].join('\n')
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** Returns a document without times, which differ from one recording to the next. */
export function withoutTimes(document: string): string {
  // Places of pages are signed with a key of the server.
  return document.replaceAll(time, '(time)').replaceAll(/position=[\w-]+/g, 'position=(position)')
}

/** Runs a flow step by step with curl against a new server, and returns its document. */
export async function recordFlow(root: string, flow: Flow): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-transcript-'))
  const endings: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    for (const name of ['sample', 'tests']) symlinkSync(join(root, name), join(folder, name))
    copyFileSync(join(root, 'tests/fixtures/csv/country-labels.csv'), join(folder, 'country-labels.csv'))
    const server = startTerrane({ after: (end) => endings.unshift(end) }, ['serve'], {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_SAMPLE: 'off',
      TERRANE_LOG: 'warn',
      TERRANE_REMOTE_ALLOW: '127.0.0.1',
    })
    const { port } = new URL((await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? '')
    // The commands run unchanged: this file makes curl connect to the free port.
    writeFileSync(
      join(folder, '.curlrc'),
      `silent\nshow-error\nconnect-to = "localhost:8080:127.0.0.1:${port}"\n`,
    )
    const files = await serveFiles(join(root, 'tests', 'fixtures'))
    endings.unshift(files.end)
    const shown: string[] = []
    for (const step of flow.steps) shown.push(await recordStep(folder, step, files.address))
    server.signal('SIGTERM')
    await server.ended
    return toDocument(flow, shown)
  } finally {
    for (const end of endings) end()
  }
}

/** Serves a folder on a free port of this host and delays each response. */
async function serveFiles(folder: string): Promise<{ address: string; end(): void }> {
  const server = createServer(async ({ url = '' }, reply) => {
    await sleep(answerMs)
    const body = await readFile(join(folder, url)).catch(() => undefined)
    reply.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, end: () => void server.close() }
}

/** Runs a step; `files` is where the web server of the documents really is. */
async function recordStep(folder: string, step: FlowStep, files: string): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { stdout } = await run('sh', ['-c', step.command.replaceAll(shownFiles, files)], {
      cwd: folder,
      env: { PATH: process.env.PATH, CURL_HOME: folder, PASSWORD: password },
    })
    const answer = formatAnswer(stdout.replaceAll(folder, shownFolder).replaceAll(files, shownFiles))
    if (step.until === undefined || step.until.test(answer)) return toSection(step, answer)
    await sleep(50)
  }
  throw new Error(`The answer did not become ${step.until}: ${step.command}`)
}

function toSection({ says, command }: FlowStep, answer: string): string {
  const kind = answer.startsWith('HTTP/') ? 'http' : 'text'
  const shown = answer === '' ? '' : `\n\n\`\`\`${kind}\n${answer}\n\`\`\``
  return `${says}\n\n\`\`\`sh\n${command}\n\`\`\`${shown}`
}

function toDocument({ title, about }: Flow, sections: string[]): string {
  const steps = sections.map((section, index) => `## Step ${index + 1}\n\n${section}\n`)
  return [`# ${title}`, origin, about, ...steps].join('\n\n').replaceAll(/\n{3,}/g, '\n\n')
}
