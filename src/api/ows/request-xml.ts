import type { DocumentLimits } from '../../core/config/request-limits.ts'
import type { XmlElement } from '../../core/text/xml-tree.ts'
import { readXmlTree } from '../../core/text/xml-tree.ts'

/** Namespace declarations keep their prefix, which names the declared prefix. */
function localName(name: string): string {
  return name.startsWith('xmlns:') ? name : name.slice(name.indexOf(':') + 1)
}

/**
 * Reads XML of a request without DOCTYPE; names without their prefix. Throws what `failure` makes of the reason, such as
 * "has more than 10000 elements".
 */
export function parseRequestXml(
  text: string,
  { elements, attributes, depth }: DocumentLimits,
  failure: (reason: string) => Error,
): XmlElement {
  const refuse = (reason: string): never => {
    throw failure(reason)
  }
  const reasons = {
    depth: `is nested deeper than ${depth} elements`,
    elements: `has more than ${elements} elements`,
    attributes: `has an element with more than ${attributes} attributes`,
  }
  const root = readXmlTree(text.replace(/^\uFEFF/, ''), {
    maxDepth: depth,
    maxElements: elements,
    maxAttributes: attributes,
    nameOf: localName,
    onDoctype: () => refuse('has a DOCTYPE, which is not accepted'),
    onBroken: (error) => refuse(`is not well-formed XML: ${error.message.slice(0, 300)}`),
    onTooLarge: (limit) => refuse(reasons[limit]),
  })
  return root.children[0] ?? refuse('is empty')
}
