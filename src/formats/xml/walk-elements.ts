import { outOfXmlBytes } from './xml-error.ts'
import type { XmlSource } from './xml-source.ts'

/** Handles elements around rows. State may change only after an element is completely read. */
export interface ElementHandler {
  /**
   * Called after the scanner opened an element: consumes it to its end and returns true, or returns false to
   * receive the elements inside. A consumed element must fit into memory; an entered one need not.
   */
  open(): boolean
  /** Called at the end of an entered element. */
  close(): void
  /** True if the accumulated rows should be passed on. */
  readonly isFull: boolean
}

/**
 * Passes the elements of a file to the handler, starting with the root, which is entered; yields whenever the
 * handler is full.
 */
export async function* walkElements(source: XmlSource, handler: ElementHandler): AsyncGenerator<void, void> {
  await source.root()
  handler.open()
  for (let state = takeElements(source, handler); state !== 'end'; state = takeElements(source, handler)) {
    if (state === 'full') yield
    else await source.need(source.scanner.at)
  }
  await source.finish()
}

function takeElements(source: XmlSource, handler: ElementHandler): 'end' | 'full' | 'more' {
  const { scanner } = source
  let mark = scanner.at
  let depth = scanner.depth
  try {
    for (;;) {
      mark = scanner.at
      depth = scanner.depth
      if (scanner.child()) handler.open()
      else {
        handler.close()
        if (scanner.depth === 0) return 'end'
      }
      if (handler.isFull) return 'full'
    }
  } catch (error) {
    if (error !== outOfXmlBytes) throw source.located(error)
    scanner.reset(mark, depth)
    return 'more'
  }
}
