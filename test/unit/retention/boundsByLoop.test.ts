/** Containers that a loop around the steps releases. */
import { boundsAreTold } from './bounds.js';

const decoder = (reset: string, steps = ''): string => `
import torch, leakline_recorder
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.keys, self.queries = [], []
    def reset(self):
        ${reset}
    def forward(self, x):
        self.keys.append(x.clone())  #!
        return torch.stack(self.keys).sum(0)
layer = Attention()
for prompt in prompts:
    layer.reset()
    for token in prompt:
        token = layer(token)  #1
        ${steps}
`;

const truncated = (backward: string): string => `
import torch
cell = torch.nn.GRUCell(4, 4)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
WINDOW = 40
h, loss = torch.zeros(1, 4), 0
for t, x in enumerate(data):
    h = cell(x, h)  #!
    loss = loss + h.sum()
    if (t + 1) % WINDOW == 0:
        ${backward}
        optimizer.step()
        h, loss = h.detach(), 0
`;

boundsAreTold('Memory that a loop around the steps releases', [
  {
    bounded: {
      name: 'a list of an epoch that a callee fills',
      source: `
import torch
net = torch.nn.Linear(3, 3)
def step(x, outputs):
    out = net(x).detach()  #!
    outputs.append(out)
def train():
    for epoch in range(9):
        outputs = []
        for x in data:
            step(x, outputs)  #1
            optimizer.step()
        print(len(outputs))
train()  #2
`,
      max: 'loop',
    },
    endless: {
      source: `
import torch
net = torch.nn.Linear(3, 3)
def step(x, outputs):
    out = net(x).detach()  #!
    outputs.append(out)
def train():
    outputs = []
    for epoch in range(9):
        for x in data:
            step(x, outputs)  #1
            optimizer.step()
        print(len(outputs))
train()  #2
`,
      keeps: 'outputs.append(out)',
    },
  },
  {
    bounded: {
      name: 'a list of an epoch that a method fills and returns',
      source: `
import torch
class Trainer:
    def __init__(self, net):
        self.net = net
    def epoch(self):
        losses = []
        for x in self.loader:
            losses.append(self.step(x))  #1
            self.optimizer.step()
        return sum(losses) / len(losses)
    def step(self, x):
        return self.net(x).mean().detach()  #!
    def fit(self):
        for n in range(10):
            print(self.epoch())  #2
Trainer(torch.nn.Linear(3, 3)).fit()  #3
`,
      max: 'loop',
    },
    endless: {
      source: `
import torch
class Trainer:
    losses = []
    def __init__(self, net):
        self.net = net
    def epoch(self):
        for x in self.loader:
            self.losses.append(self.step(x))  #1
            self.optimizer.step()
        return sum(self.losses) / len(self.losses)
    def step(self, x):
        return self.net(x).mean().detach()  #!
    def fit(self):
        for n in range(10):
            print(self.epoch())  #2
Trainer(torch.nn.Linear(3, 3)).fit()  #3
`,
      keeps: 'self.losses.append(self.step(x))',
    },
  },
  {
    bounded: {
      name: 'keys of one sequence, in a program that never trains',
      source: decoder('self.keys, self.queries = [], []'),
      max: 'loop',
      during: '',
    },
    endless: { source: decoder('self.queries = []'), keeps: 'self.keys.append(x.clone())' },
  },
  {
    bounded: {
      name: 'keys of one sequence, where each token is marked as a step',
      source: decoder('self.keys = []', 'leakline_recorder.mark_step()'),
      max: 'loop',
      during: '',
    },
    endless: {
      source: decoder('print(self.keys)', 'leakline_recorder.mark_step()'),
      keeps: 'self.keys.append(x.clone())',
    },
  },
  {
    bounded: {
      name: 'a graph that a backward frees every so many steps',
      source: truncated('loss.backward()'),
      max: '40',
      count: 40,
    },
    endless: {
      source: truncated('loss.backward(retain_graph=True)').replace('h, loss = h.detach(), 0', 'loss = 0'),
      keeps: 'h = cell(x, h)',
    },
  },
]);
