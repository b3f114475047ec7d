import { outOfBytes } from './xml-error.ts'
import type { XmlSource } from './xml-source.ts'

/** What to do with the elements around rows. State changes only once an element was taken in whole. */
export interface ElementHandler {
  /**
   * The scanner has opened an element: takes it in to its end and gives true, or gives false to be told of the
   * elements inside. An element that is taken in must fit into memory; one that is entered need not.
   */
  open(): boolean
  /** The end of an element that was entered. */
  close(): void
  /** True when what was read should be handed on. */
  readonly isFull: boolean
}

/** Hands the elements of a file to the handler, the root first, which it enters; yields whenever the handler is full. */
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
    if (error !== outOfBytes) throw source.located(error)
    scanner.reset(mark, depth)
    return 'more'
  }
}
