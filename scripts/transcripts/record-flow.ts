import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startTerrane } from '../../tests/support/terrane-process.ts'
import type { Flow, FlowStep } from './flows.ts'
import { formatAnswer } from './format-answer.ts'

const run = promisify(execFile)
const password = 'transcript-password'
const mostTries = 400
/** Stands in the documents for the folder that the server ran in. */
const shownFolder = '/srv/terrane'
const origin = [
  'Commands and answers as `node scripts/transcripts.ts` recorded them from a new server, which runs in `/srv/terrane`.',
  'Of the headers, `Location` alone is shown; JSON is set in lines.',
].join('\n')
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** A document without its times, which differ from one recording to the next. */
export function withoutTimes(document: string): string {
  return document.replaceAll(time, '(time)')
}

/** Runs a flow step by step with curl against a new server, and gives its document. */
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
    })
    const { port } = new URL((await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? '')
    // The commands run as they stand: curl is led to the port that was free.
    writeFileSync(
      join(folder, '.curlrc'),
      `silent\nshow-error\nconnect-to = "localhost:8080:127.0.0.1:${port}"\n`,
    )
    const shown: string[] = []
    for (const step of flow.steps) shown.push(await recordStep(folder, step))
    server.signal('SIGTERM')
    await server.ended
    return toDocument(flow, shown)
  } finally {
    for (const end of endings) end()
  }
}

async function recordStep(folder: string, step: FlowStep): Promise<string> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { stdout } = await run('sh', ['-c', step.command], {
      cwd: folder,
      env: { PATH: process.env.PATH, CURL_HOME: folder, PASSWORD: password },
    })
    const answer = formatAnswer(stdout.replaceAll(folder, shownFolder))
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
