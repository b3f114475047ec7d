import { describeRelationsBeyondMeridian } from '../../contract/ogc/relations-beyond-meridian.ts'

// tests/release/ogc/relations-beyond-meridian.test.ts requests each geometry by one shift of 360 degrees.
describeRelationsBeyondMeridian(() => [0, -360, 360])
