import { describeRelationsBeyondMeridian } from '../../contract/ogc/relations-beyond-meridian.ts'

// tests/release/compared/relations-beyond-meridian.test.ts requests each geometry by every shift of 360 degrees.
describeRelationsBeyondMeridian((geometry) => [0, -360, 360].slice(geometry % 3).slice(0, 1))
