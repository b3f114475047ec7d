import { deepestFilter, largestFilter } from '../../filters/expression.ts'
import type { XmlElement } from '../../lib/text/xml-tree.ts'
import { readXmlTree } from '../../lib/text/xml-tree.ts'

/** What stands around a filter. */
const deepestFrame = 8

/** Declarations of namespaces keep their prefix, which tells what they declare. */
function localName(name: string): string {
  return name.startsWith('xmlns:') ? name : name.slice(name.indexOf(':') + 1)
}

/** Reads XML of a request without DOCTYPE; names without their prefix. Throws what `failure` makes of the reason. */
export function parseRequestXml(text: string, failure: (reason: string) => Error): XmlElement {
  const refuse = (reason: string): never => {
    throw failure(reason)
  }
  const maxDepth = deepestFilter + deepestFrame
  const root = readXmlTree(text.replace(/^\uFEFF/, ''), {
    ...{ maxDepth, maxElements: largestFilter, nameOf: localName },
    onDoctype: () => refuse('has a DOCTYPE, which is not accepted'),
    onBroken: (error) => refuse(`is not well-formed XML: ${error.message.slice(0, 300)}`),
    onTooLarge: (limit) =>
      refuse(
        limit === 'depth' ? `is nested deeper than ${maxDepth}` : `has more than ${largestFilter} elements`,
      ),
  })
  return root.children[0] ?? refuse('is empty')
}
