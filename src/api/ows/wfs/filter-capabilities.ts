import type { Signature, ValueType } from '../../../filters/functions.ts'
import { filterFunctions } from '../../../filters/functions.ts'
import type { WfsVersion } from './wfs-version.ts'

const comparisons20 = [
  'PropertyIsEqualTo',
  'PropertyIsNotEqualTo',
  'PropertyIsLessThan',
  'PropertyIsGreaterThan',
  'PropertyIsLessThanOrEqualTo',
  'PropertyIsGreaterThanOrEqualTo',
  'PropertyIsLike',
  'PropertyIsNull',
  'PropertyIsNil',
  'PropertyIsBetween',
]
const comparisons11 = [
  'EqualTo',
  'NotEqualTo',
  'LessThan',
  'GreaterThan',
  'LessThanEqualTo',
  'GreaterThanEqualTo',
  'Like',
  'NullCheck',
  'Between',
]
const relations = [
  'BBOX',
  'Intersects',
  'Disjoint',
  'Equals',
  'Touches',
  'Within',
  'Contains',
  'Overlaps',
  'Crosses',
  'DWithin',
  'Beyond',
]
/** OGC 09-026r2, section 7.9; the schema of capabilities has no name for `AnyInteracts`, which is taken too. */
const times = [
  'After',
  'Before',
  'Begins',
  'BegunBy',
  'TContains',
  'During',
  'TEquals',
  'TOverlaps',
  'Meets',
  'OverlappedBy',
  'MetBy',
  'Ends',
  'EndedBy',
]
const operands = ['Envelope', 'Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiCurve', 'MultiSurface']

const conformance20 = {
  ImplementsQuery: true,
  ImplementsAdHocQuery: true,
  ImplementsFunctions: true,
  ImplementsResourceId: true,
  ImplementsMinStandardFilter: true,
  ImplementsStandardFilter: true,
  ImplementsMinSpatialFilter: true,
  ImplementsSpatialFilter: true,
  ImplementsMinTemporalFilter: true,
  ImplementsTemporalFilter: true,
  ImplementsVersionNav: false,
  ImplementsSorting: true,
  ImplementsExtendedOperators: false,
  ImplementsMinimumXPath: true,
  ImplementsSchemaElementFunc: false,
}

function constraint([name, is]: [string, boolean]): string {
  return `<fes:Constraint name="${name}"><ows:NoValues/><ows:DefaultValue>${is ? 'TRUE' : 'FALSE'}</ows:DefaultValue></fes:Constraint>`
}

const functions = Object.entries<Signature>(filterFunctions)
const types: Record<ValueType, string> = { text: 'xs:string', number: 'xs:double', integer: 'xs:int' }

function function20([name, { args, returns }]: [string, Signature]): string {
  const argumentsOf = args.map(
    (type) => `<fes:Argument name="${type}"><fes:Type>${types[type]}</fes:Type></fes:Argument>`,
  )
  return `<fes:Function name="${name}"><fes:Returns>${types[returns]}</fes:Returns><fes:Arguments>${argumentsOf.join('')}</fes:Arguments></fes:Function>`
}

/** Filter capabilities (OGC 09-026r2, section 7.14; 04-095, section 15). */
export const filterCapabilities: Record<Exclude<WfsVersion, '1.0.0'>, string> = {
  '2.0.0': [
    `<fes:Filter_Capabilities><fes:Conformance>${Object.entries(conformance20).map(constraint).join('')}</fes:Conformance>`,
    '<fes:Id_Capabilities><fes:ResourceIdentifier name="fes:ResourceId"/></fes:Id_Capabilities>',
    '<fes:Scalar_Capabilities><fes:LogicalOperators/><fes:ComparisonOperators>',
    ...comparisons20.map((name) => `<fes:ComparisonOperator name="${name}"/>`),
    '</fes:ComparisonOperators></fes:Scalar_Capabilities>',
    '<fes:Spatial_Capabilities><fes:GeometryOperands>',
    ...operands.map((name) => `<fes:GeometryOperand name="gml:${name}"/>`),
    '</fes:GeometryOperands><fes:SpatialOperators>',
    ...relations.map((name) => `<fes:SpatialOperator name="${name}"/>`),
    '</fes:SpatialOperators></fes:Spatial_Capabilities>',
    '<fes:Temporal_Capabilities><fes:TemporalOperands>',
    '<fes:TemporalOperand name="gml:TimeInstant"/><fes:TemporalOperand name="gml:TimePeriod"/>',
    '</fes:TemporalOperands><fes:TemporalOperators>',
    ...times.map((name) => `<fes:TemporalOperator name="${name}"/>`),
    '</fes:TemporalOperators></fes:Temporal_Capabilities>',
    `<fes:Functions>${functions.map(function20).join('')}</fes:Functions></fes:Filter_Capabilities>`,
  ].join(''),
  '1.1.0': [
    '<ogc:Filter_Capabilities><ogc:Spatial_Capabilities><ogc:GeometryOperands>',
    ...['Envelope', 'Point', 'LineString', 'Polygon'].map(
      (name) => `<ogc:GeometryOperand>gml:${name}</ogc:GeometryOperand>`,
    ),
    '</ogc:GeometryOperands><ogc:SpatialOperators>',
    ...relations.map((name) => `<ogc:SpatialOperator name="${name}"/>`),
    '</ogc:SpatialOperators></ogc:Spatial_Capabilities>',
    '<ogc:Scalar_Capabilities><ogc:LogicalOperators/><ogc:ComparisonOperators>',
    ...comparisons11.map((name) => `<ogc:ComparisonOperator>${name}</ogc:ComparisonOperator>`),
    '</ogc:ComparisonOperators><ogc:ArithmeticOperators><ogc:SimpleArithmetic/><ogc:Functions><ogc:FunctionNames>',
    ...functions.map(
      ([name, { args }]) => `<ogc:FunctionName nArgs="${args.length}">${name}</ogc:FunctionName>`,
    ),
    '</ogc:FunctionNames></ogc:Functions></ogc:ArithmeticOperators></ogc:Scalar_Capabilities>',
    '<ogc:Id_Capabilities><ogc:EID/><ogc:FID/></ogc:Id_Capabilities></ogc:Filter_Capabilities>',
  ].join(''),
}
