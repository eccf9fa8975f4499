/** Why a body holds no address that could be judged, in the order in which it is found. */
export type BodyFault = 'not-json' | 'required' | 'not-a-string';
