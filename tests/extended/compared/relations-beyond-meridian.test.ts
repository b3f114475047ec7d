import { describeRelationsBeyondMeridian } from '../../contract/ogc/relations-beyond-meridian.ts'

// tests/contract/ogc/relations-beyond-meridian.test.ts requests each geometry by one turn.
describeRelationsBeyondMeridian(() => [0, -360, 360])
