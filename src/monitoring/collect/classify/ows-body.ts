import type { SaxesTagPlain } from 'saxes'
import { SaxesParser } from 'saxes'
import { readOwsParameters } from './ows-parameters.ts'

export interface OwsBody {
  service?: string
  operation?: string
  layers: string[]
}

const maxLength = 65_536
const maxNames = 100
const maxDepth = 50

/** Elements whose text names a layer. */
const namedByText = new Set(['typename', 'sourcecoverage', 'coverageid', 'coverage', 'layer'])
/** Element that names a coverage in WCS; in other services an identifier names a process. */
const coverageIdentifier = 'identifier'

/**
 * Reads the body of a POST: XML, whose root element names the operation, or a form. The body may be
 * truncated.
 */
export function readOwsBody(body: string): OwsBody | undefined {
  const text = body.slice(0, maxLength).trimStart()
  if (text.startsWith('<')) return readXml(text)
  const { service, request, ...lists } = readOwsParameters(text)
  if (service === undefined && request === undefined) return undefined
  const layers = Object.values(lists).flatMap((list) => list.split(/[,()]/, maxNames))
  return { service, operation: request, layers }
}

/** Parser state and result. */
class Reading {
  readonly body: OwsBody = { layers: [] }
  #path: string[] = []
  #text: string | undefined

  open({ name, attributes }: SaxesTagPlain): void {
    const local = localName(name)
    if (this.body.operation === undefined) this.#root(local, name, attributes)
    this.#path.push(local.toLowerCase())
    if (this.#path.length > maxDepth) throw new Error('too deep')
    this.#text = this.#isNaming() ? '' : undefined
    for (const [key, value] of Object.entries(attributes)) {
      if (/^typenames?$/i.test(key)) this.#add(value.split(/[,\s]/, maxNames))
    }
    if (this.#isInserted()) this.#add([name])
  }

  text(text: string): void {
    if (this.#text !== undefined) this.#text += text
  }

  close(): void {
    if (this.#text !== undefined) this.#add([this.#text.trim()])
    this.#text = undefined
    this.#path.pop()
  }

  #root(local: string, name: string, attributes: Record<string, string>): void {
    this.body.operation = local === 'StyledLayerDescriptor' ? 'GetMap' : local
    const service = attributes.service ?? attributes.SERVICE ?? serviceOf(name, attributes)
    if (service !== undefined) this.body.service = service
  }

  #isNaming(): boolean {
    const name = this.#path.at(-1) ?? ''
    if (this.#path.length < 2) return false
    if (name === 'name') return this.#path.at(-2) === 'namedlayer'
    return (
      namedByText.has(name) || (name === coverageIdentifier && /coverage/i.test(this.body.operation ?? ''))
    )
  }

  #isInserted(): boolean {
    return this.#path.length === 3 && this.#path[0] === 'transaction' && this.#path[1] === 'insert'
  }

  #add(names: string[]): void {
    const room = maxNames - this.body.layers.length
    this.body.layers.push(...names.slice(0, Math.max(room, 0)))
  }
}

/** Returns the service by the namespace of the root element, such as http://www.opengis.net/wfs/2.0. */
function serviceOf(name: string, attributes: Record<string, string>): string | undefined {
  const prefix = name.includes(':') ? `xmlns:${name.slice(0, name.indexOf(':'))}` : 'xmlns'
  return /^http:\/\/www\.opengis\.net\/(wms|wfs|wcs|wps|wmts|cat\/csw)\b/.exec(attributes[prefix] ?? '')?.[1]
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function readXml(text: string): OwsBody | undefined {
  const reading = new Reading()
  const parser = new SaxesParser()
  parser.on('opentag', (tag) => reading.open(tag))
  parser.on('text', (found) => reading.text(found))
  parser.on('cdata', (found) => reading.text(found))
  parser.on('closetag', () => reading.close())
  try {
    parser.on('error', (error) => {
      throw error
    })
    parser.write(text)
  } catch {
    // Uses the part before the invalid XML.
  }
  return reading.body.operation === undefined ? undefined : reading.body
}
