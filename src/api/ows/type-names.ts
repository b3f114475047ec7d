import { fromGmlId, xmlName } from '../../formats/writing/index.ts'

/** Prefixes that documents have for something else. */
const taken = /^(?:xml.*|gml|wfs|xsi|xs|ows|fes|ogc|xlink)$/i

/** Returns the namespace prefix of a workspace in XML names. */
export function namespacePrefix(workspace: string): string {
  const name = xmlName(workspace)
  if (!taken.test(name)) return name
  const code = (name.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `_x${code}_${name.slice(1)}`
}

/**
 * The id of a feature of a layer, in which documents have the name of the layer before it, or its workspace and name; undefined
 * where it names another layer.
 */
export function findFeatureId(
  { workspace, name }: { workspace: string; name: string },
  text: string,
): string | undefined {
  const qualified = `${workspace}:${name}`
  const isQualified = [xmlName(qualified), qualified].some((one) => text.startsWith(`${one}.`))
  return fromGmlId(isQualified ? qualified : name, text)
}

/** The name of a feature type: prefix and name, both names in XML. */
export function typeNameOf({ workspace, name }: { workspace: string; name: string }): string {
  return `${namespacePrefix(workspace)}:${xmlName(name)}`
}
