import type { RequestListener } from 'node:http'

/** Behaviour of a WFS 1.1; each setting is a way in which real services differ. */
export interface Wfs11Settings {
  rows: number
  /** True if it knows `startIndex`, which WFS 1.1 does not have. Default: false. */
  hasPages?: boolean
  /** Identifier of the CRS in the features and in the capabilities. */
  srsName: string
  defaultCrs: string
  /** Bounds in degrees: west, south, east, north. */
  bounds?: string[]
  /** GML of the geometry of row `n`, from 0; `srs` is the attribute with the CRS. */
  geometry(n: number, srs: string): string
  /** True if each feature has a member of its own, not all one `gml:featureMembers`. */
  isMemberEach?: boolean
  /** False if features have no ids. */
  hasIds?: boolean
  /** Number of features that hits states; null: none. */
  hits?: number | null
  /** An exception report instead of features. */
  exception?: string
}

const namespaces =
  'xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" xmlns:app="http://example.org/app"'

const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="http://www.opengis.net/gml" xmlns:app="http://example.org/app" targetNamespace="http://example.org/app">
<xs:element name="trees" type="app:treesType" substitutionGroup="gml:_Feature"/>
<xs:complexType name="treesType"><xs:complexContent><xs:extension base="gml:AbstractFeatureType"><xs:sequence>
<xs:element name="number" type="xs:int"/>
<xs:element name="code" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="5"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="height" minOccurs="0" type="xs:decimal"/>
<xs:element name="planted" minOccurs="0" type="xs:date"/>
<xs:element name="seen" minOccurs="0" type="xs:dateTime"/>
<xs:element name="is_old" minOccurs="0" type="xs:boolean"/>
<xs:element name="remark" minOccurs="0" type="xs:string"/>
<xs:element name="shape" minOccurs="0" type="gml:GeometryPropertyType"/>
</xs:sequence></xs:extension></xs:complexContent></xs:complexType>
</xs:schema>`

function capabilities({ defaultCrs, bounds }: Wfs11Settings): string {
  const [west, south, east, north] = bounds ?? []
  const box = bounds
    ? `<ows:WGS84BoundingBox><ows:LowerCorner>${west} ${south}</ows:LowerCorner><ows:UpperCorner>${east} ${north}</ows:UpperCorner></ows:WGS84BoundingBox>`
    : ''
  return `<wfs:WFS_Capabilities version="1.1.0" ${namespaces} xmlns:ows="http://www.opengis.net/ows"><FeatureTypeList xmlns="http://www.opengis.net/wfs">
<FeatureType><Name>app:trees</Name><Title>Trees</Title><DefaultSRS>${defaultCrs}</DefaultSRS>${box}</FeatureType></FeatureTypeList></wfs:WFS_Capabilities>`
}

function feature(settings: Wfs11Settings, n: number): string {
  const { geometry, hasIds = true, srsName } = settings
  const id = hasIds ? ` gml:id="trees.${n + 1}"` : ''
  return `<app:trees${id}><app:number>${n + 1}</app:number><app:code>10115</app:code><app:height>12.345678901234567890</app:height>
<app:planted>2012-05-01Z</app:planted><app:seen>2024-02-29T23:11:12+05:30</app:seen><app:is_old>${n % 2 === 0 ? 'true' : '0'}</app:is_old>
<app:shape>${geometry(n, `srsName="${srsName}"`)}</app:shape></app:trees>`
}

/** Answers as services of version 1.1 do, with features of the type `app:trees`; `requests` are the queries. */
export function wfs11(settings: Wfs11Settings) {
  const requests: URLSearchParams[] = []
  const features = (parameters: URLSearchParams): string => {
    const { rows, hasPages = false, hits = rows, isMemberEach = false, exception } = settings
    const root = (count: number | null) =>
      `<wfs:FeatureCollection ${namespaces}${count === null ? '' : ` numberOfFeatures="${count}"`}`
    if (parameters.get('resultType') === 'hits') return `${root(hits)}/>`
    if (exception !== undefined)
      return `<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows" version="1.1.0"><ows:Exception exceptionCode="NoApplicableCode"><ows:ExceptionText>${exception}</ows:ExceptionText></ows:Exception></ows:ExceptionReport>`
    const from = hasPages ? Number(parameters.get('startIndex') ?? 0) : 0
    const count = Number(parameters.get('maxFeatures') ?? rows)
    const shown = Array.from({ length: rows }, (_, n) => n).slice(from, from + count)
    const all = shown.map((n) => feature(settings, n))
    const members = isMemberEach
      ? all.map((one) => `<gml:featureMember>${one}</gml:featureMember>`).join('\n')
      : `<gml:featureMembers>${all.join('\n')}</gml:featureMembers>`
    return `<?xml version="1.0"?>\n${root(all.length)}><gml:boundedBy><gml:Null>unknown</gml:Null></gml:boundedBy>${members}</wfs:FeatureCollection>`
  }
  const listener: RequestListener = (request, reply) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    requests.push(searchParams)
    const operation = searchParams.get('request')
    const text =
      operation === 'GetCapabilities'
        ? capabilities(settings)
        : operation === 'DescribeFeatureType'
          ? schema
          : features(searchParams)
    reply.setHeader('content-type', 'text/xml').end(text)
  }
  return { listener, requests }
}
