// Runs the flows of the importer with curl against a server of their own and writes docs/transcripts/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flows } from './transcripts/flows.ts'
import { recordFlow } from './transcripts/record-flow.ts'

const root = dirname(import.meta.dirname)
const folder = join(root, 'docs', 'transcripts')
mkdirSync(folder, { recursive: true })
for (const flow of flows) {
  writeFileSync(join(folder, `${flow.name}.md`), await recordFlow(root, flow))
  console.log(`docs/transcripts/${flow.name}.md`)
}
