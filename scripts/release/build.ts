// `npm run release`: writes the npm package, the Debian package, the SBOM, the licence report and their checksums into
// build/release. `npm run release -- --verify` builds everything twice and fails if a byte differs.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SetupError } from '../setup/run.mjs'
import { buildDeb } from './deb.mjs'
import { licenceReport } from './licence-report.ts'
import { packInto } from './pack.mjs'
import { softwareBill } from './software-bill.ts'

const root = dirname(dirname(import.meta.dirname))
const checksums = 'SHA256SUMS'

/** Writes all files of a release into a folder and returns their checksums, one a line. */
async function buildRelease(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await packInto(folder)
  await buildDeb(folder)
  writeFileSync(join(folder, 'terrane.cdx.json'), softwareBill(root))
  writeFileSync(join(folder, 'licences.csv'), licenceReport(root))
  const lines = readdirSync(folder)
    .sort()
    .map((name) => `${hashOf(join(folder, name))}  ${name}`)
  const text = `${lines.join('\n')}\n`
  writeFileSync(join(folder, checksums), text)
  return text
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

async function main(): Promise<void> {
  const first = await buildRelease(join(root, 'build', 'release'))
  process.stdout.write(first)
  if (!process.argv.includes('--verify')) return
  const other = mkdtempSync(join(tmpdir(), 'terrane-release-'))
  try {
    const second = await buildRelease(other)
    if (first !== second) throw new SetupError(`A second build differs:\n${second}`)
    process.stdout.write('A second build has the same bytes.\n')
  } finally {
    rmSync(other, { recursive: true, force: true })
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
