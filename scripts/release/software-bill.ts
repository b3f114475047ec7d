import { createHash } from 'node:crypto'
import { run, SetupError } from '../setup/run.mjs'
import { sourceDateEpoch } from './source-date.mjs'

interface Bill {
  serialNumber: string
  metadata: { timestamp: string; tools?: unknown }
  components: { 'bom-ref': string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * Returns the software bill of materials (CycloneDX, by `npm sbom`) of everything that a release contains or needs: the packages that
 * are bundled and those that are installed. Time and serial number are made from the sources, so that two builds agree.
 */
export function softwareBill(root: string): string {
  const args = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx']
  const { ok, output } = run('npm', [...args, '--loglevel=error'], { cwd: root })
  if (!ok) throw new SetupError(`npm sbom failed:\n${output}`)
  const bill = JSON.parse(output.slice(output.indexOf('{'))) as Bill
  bill.metadata.timestamp = new Date(Number(sourceDateEpoch(root)) * 1000).toISOString()
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill.components))}`
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** A version 8 UUID (RFC 9562) of a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
