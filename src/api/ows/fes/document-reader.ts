import type { DocumentLimits } from '../../../core/config/request-limits.ts'
import { Failure } from '../../../core/errors/errors.ts'
import type { XmlElement } from '../../../core/text/xml-tree.ts'
import { startThread } from '../../../core/workers/start-thread.ts'
import { WorkPool } from '../../../core/workers/work-pool.ts'
import type { WrittenEcql } from '../../../filters/ecql.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import type { SldLayer } from '../../../styles/sld/read-sld.ts'
import type { LayerCrs } from '../named-crs.ts'
import type { EcqlExpression, RequestDocuments } from '../request-documents.ts'
import { documentFunctions } from './document-functions.ts'

type Functions = typeof documentFunctions

/** Larger documents are read in a worker thread. */
const maxDirectLength = 64 * 1024
const file = new URL('./document-worker.ts', import.meta.url)
const threads = 2
const maxQueued = 200
const keepMs = 30_000
/** A document within the limits takes some 30 MB. */
const maxOldGenerationSizeMb = 512

/**
 * Parses the XML, forms and filters of requests within limits: small ones directly, those above 64 KiB in a
 * worker thread, so that they never block the main thread. The caller must call `close()`.
 */
export class DocumentReader implements RequestDocuments {
  readonly limits: DocumentLimits
  readonly #pool: WorkPool<Functions>

  constructor(limits: DocumentLimits, onEnd: (error: Error) => void = () => undefined) {
    this.limits = limits
    this.#pool = new WorkPool<Functions>({
      limit: threads,
      surplusMs: keepMs,
      onEnd,
      maxWaiting: { count: maxQueued, refuse: tooBusy },
      start: (events) => startThread(file, { ...events, maxOldGenerationSizeMb }),
    })
  }

  async readBody(text: string): Promise<XmlElement> {
    const argument = { text, limits: this.limits }
    return isSmall(text) ? documentFunctions.body(argument) : this.#pool.call('body', argument)
  }

  async readFilterXml(text: string): Promise<XmlElement> {
    const argument = { text, limits: this.limits }
    return isSmall(text) ? documentFunctions.filterXml(argument) : this.#pool.call('filterXml', argument)
  }

  async readForm(text: string): Promise<[string, string][]> {
    const argument = { text }
    return isSmall(text) ? documentFunctions.form(argument) : this.#pool.call('form', argument)
  }

  async readSld(text: string): Promise<SldLayer[]> {
    const argument = { text, limits: this.limits }
    return isSmall(text) ? documentFunctions.sld(argument) : this.#pool.call('sld', argument)
  }

  async readFes(operator: XmlElement, layer: LayerCrs): Promise<RequestFilter> {
    const argument = { operator, layer: crsOf(layer), limits: this.limits }
    const isDirect = lengthOf(operator) <= maxDirectLength
    return isDirect ? documentFunctions.fes(argument) : this.#pool.call('fes', argument)
  }

  async readEcql(text: string): Promise<WrittenEcql> {
    const argument = { text, limits: this.limits }
    return isSmall(text) ? documentFunctions.ecql(argument) : this.#pool.call('ecql', argument)
  }

  async ecqlOfLayer(text: string, found: EcqlExpression, layer: LayerCrs): Promise<RequestFilter> {
    const argument = { found, layer: crsOf(layer) }
    return isSmall(text) ? documentFunctions.ecqlOfLayer(argument) : this.#pool.call('ecqlOfLayer', argument)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

function isSmall(text: string): boolean {
  return text.length <= maxDirectLength
}

/** About the length of an element as text. */
function lengthOf({ name, text, attributes, children }: XmlElement): number {
  let length = 2 * name.length + text.length
  for (const [key, value] of Object.entries(attributes)) length += key.length + value.length
  for (const one of children) length += lengthOf(one)
  return length
}

/** Only what crosses threads. */
function crsOf({ details: { schema, srs, crs } }: LayerCrs): LayerCrs {
  return { details: { schema, srs, crs } }
}

function tooBusy(): Error {
  return new Failure('unavailable', 'too-busy', 'Too many large requests are being read: try again soon', {
    retryAfterSeconds: 5,
  })
}
