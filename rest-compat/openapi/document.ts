/** The parts of OpenAPI 3.0.0 that this project uses. */
export type OpenApi = {
  openapi: '3.0.0';
  info: { title: string; version: string; description: string; license: { name: string; url: string } };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, Header>;
    parameters: Record<string, OpenApiParameter>;
    securitySchemes: Record<string, SecurityScheme>;
  };
};

export type Method = 'get' | 'post' | 'put' | 'delete';
export type PathItem = Partial<Record<Method, OpenApiOperation>>;

export type Ref = { $ref: string };

export type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: (OpenApiParameter | Ref)[];
  requestBody?: { required: boolean; content: OpenApiContent };
  responses: Record<string, Response | Ref>;
  security: Record<string, string[]>[];
  'x-required-scope'?: string[];
};

export type OpenApiParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  style?: 'form';
  explode?: boolean;
  schema?: Schema;
  content?: OpenApiContent;
};

export type OpenApiContent = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, Example> }
>;
export type Example = { summary?: string; value: unknown };
export type Header = { description: string; schema: Schema };
export type Response = {
  description: string;
  headers?: Record<string, Header | Ref>;
  content?: OpenApiContent;
};

export type SecurityScheme = { description: string } & (
  | { type: 'apiKey'; in: 'header'; name: string }
  | { type: 'http'; scheme: 'bearer'; bearerFormat?: string }
  | { type: 'http'; scheme: 'basic' }
);

export type Schema = {
  $ref?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  default?: unknown;
  writeOnly?: boolean;
  /** In place of one that is made of the schema. */
  example?: unknown;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
};
