"""Constructor calls of every layer, and calls of the layers with state and randomness."""

import warnings

import numpy as np

CONSTRUCTORS = """
Identity(3,a=1)
Linear(3,4)
Linear(3,4,bias=False)
Bilinear(2,3,4)
Flatten()
Unflatten(1,(2,3))
Threshold(.1,20)
ReLU()
ReLU(inplace=True)
RReLU()
Hardtanh()
Hardtanh(-2,3,True)
ReLU6()
ReLU6(True)
Sigmoid()
Tanh()
SiLU()
SiLU(True)
Mish()
Hardswish()
Hardsigmoid(True)
ELU(.5)
CELU(.5,True)
SELU()
GLU()
GELU()
GELU('tanh')
Hardshrink()
LeakyReLU(.2)
LeakyReLU(.2,True)
LogSigmoid()
Softplus()
Softshrink()
PReLU()
PReLU(3)
Softsign()
Tanhshrink()
Softmin(1)
Softmax(dim=-1)
Softmax()
Softmax2d()
LogSoftmax(1)
Conv1d(2,3,3)
Conv2d(2,4,3,padding=1)
Conv2d(2,4,(3,2),stride=2,padding=(1,0),dilation=(1,2),groups=2,bias=False)
Conv2d(2,4,3,padding='same')
Conv2d(2,4,3,padding=1,padding_mode='reflect')
Conv3d(1,2,3)
ConvTranspose1d(2,3,3)
ConvTranspose2d(2,4,3,stride=2,padding=1,output_padding=1)
ConvTranspose3d(1,2,3)
MaxPool1d(2)
MaxPool2d(3,2,1)
MaxPool2d((2,3),ceil_mode=True)
MaxPool3d(2)
MaxUnpool2d(2)
AvgPool1d(2)
AvgPool2d(3,stride=2)
AvgPool3d(2)
LPPool2d(2,3)
AdaptiveAvgPool1d(3)
AdaptiveAvgPool2d((3,None))
AdaptiveMaxPool2d(3)
BatchNorm1d(3)
BatchNorm2d(3,affine=False)
BatchNorm2d(3,momentum=None,track_running_stats=False)
BatchNorm3d(2)
InstanceNorm1d(3)
InstanceNorm2d(3,affine=True)
LayerNorm(3)
LayerNorm((2,3),bias=False)
LayerNorm([2,3],elementwise_affine=False)
RMSNorm(3)
GroupNorm(2,4)
LocalResponseNorm(2)
Dropout()
Dropout(.2,True)
Dropout1d()
Dropout2d()
Dropout3d()
AlphaDropout()
FeatureAlphaDropout()
Embedding(4,3)
Embedding(4,3,padding_idx=-1,max_norm=1.)
EmbeddingBag(4,3,mode='sum')
L1Loss()
MSELoss(reduction='sum')
NLLLoss()
CrossEntropyLoss()
BCELoss()
BCEWithLogitsLoss()
KLDivLoss()
PoissonNLLLoss()
GaussianNLLLoss()
SmoothL1Loss()
HuberLoss()
SoftMarginLoss()
HingeEmbeddingLoss()
MultiLabelMarginLoss()
MultiLabelSoftMarginLoss()
CosineEmbeddingLoss()
MarginRankingLoss()
MultiMarginLoss()
TripletMarginLoss()
TripletMarginWithDistanceLoss()
RNN(3,4)
RNN(3,4,2,nonlinearity='relu',bias=False)
LSTM(3,4)
LSTM(3,4,2,batch_first=True,dropout=.1,bidirectional=True,proj_size=2)
GRU(3,4,bias=False)
RNNCell(3,4)
RNNCell(3,4,nonlinearity='relu')
LSTMCell(3,4)
GRUCell(3,4,bias=False)
MultiheadAttention(4,2)
MultiheadAttention(4,2,bias=False,add_bias_kv=True,kdim=3,vdim=5,batch_first=True)
TransformerEncoderLayer(4,2,8)
TransformerDecoderLayer(4,2,8)
TransformerEncoder(nn.TransformerEncoderLayer(4,2,8),2)
Transformer(4,2,1,1,8)
ReflectionPad2d(2)
ReplicationPad1d((1,2))
ZeroPad2d(1)
ConstantPad1d(2,3.5)
CircularPad2d(1)
PixelShuffle(2)
PixelUnshuffle(2)
ChannelShuffle(2)
Upsample(scale_factor=2)
Upsample(size=(3,4),mode='bilinear')
UpsamplingNearest2d(scale_factor=2)
UpsamplingBilinear2d(size=3)
Unfold(2)
Fold((4,4),2)
PairwiseDistance()
CosineSimilarity()
Sequential(nn.Linear(2,3),nn.ReLU(),nn.Sequential(nn.Tanh()))
ModuleList([nn.Linear(2,2),nn.Linear(2,2),nn.ReLU()])
ModuleList([])
ModuleDict({'a':nn.ReLU(),'b':nn.Linear(2,2)})
ParameterList([nn.Parameter(torch.ones(2,3)),nn.Parameter(torch.ones(()))])
ParameterDict({'w':nn.Parameter(torch.ones(2))})
Module()
""".strip().splitlines()


def describe(torch, text):
    """The repr, the state's keys, versions, shapes and sums of the module ``nn.<text>``."""
    torch.manual_seed(3)
    module = eval("nn." + text, {"nn": torch.nn, "torch": torch})
    state = module.state_dict()
    return {
        "repr": repr(module),
        "state": [[key, list(value.shape), float(f"{value.double().abs().sum().item():.8g}")]
                  for key, value in state.items()],
        "versions": {key: entry["version"] for key, entry in state._metadata.items()},
    }


def describe_all(torch):
    return {text: describe(torch, text) for text in CONSTRUCTORS}


# (layer, call with inputs a, b, c, shapes of the inputs)
RUNS = [
    ("nn.Linear(3,4)", "m(a)", [(5, 3)]),
    ("nn.LSTM(3,4,2)", "m(a)[0]", [(5, 2, 3)]),
    ("nn.LSTM(3,4,2)", "m(a)[1][1]", [(5, 2, 3)]),
    ("nn.LSTM(3,4,2,bidirectional=True,batch_first=True,proj_size=2)", "m(a)[0]", [(2, 5, 3)]),
    ("nn.LSTM(3,4)", "m(a,(b,c))[0]", [(5, 2, 3), (1, 2, 4), (1, 2, 4)]),
    ("nn.LSTM(3,4)", "m(a)[1][0]", [(5, 3)]),
    ("nn.GRU(3,4,2,bidirectional=True)", "m(a)[0]", [(5, 2, 3)]),
    ("nn.GRU(3,4)", "m(a,b)[1]", [(5, 2, 3), (1, 2, 4)]),
    ("nn.RNN(3,4,2)", "m(a)[0]", [(5, 2, 3)]),
    ("nn.RNN(3,4,nonlinearity='relu',bias=False)", "m(a)[1]", [(5, 2, 3)]),
    ("nn.RNNCell(3,4)", "m(a,b)", [(2, 3), (2, 4)]),
    ("nn.LSTMCell(3,4)", "m(a,(b,c))[1]", [(2, 3), (2, 4), (2, 4)]),
    ("nn.LSTMCell(3,4)", "m(a)[0]", [(3,)]),
    ("nn.GRUCell(3,4)", "m(a,b)", [(2, 3), (2, 4)]),
    ("nn.MultiheadAttention(4,2)", "m(a,a,a)[0]", [(5, 2, 4)]),
    ("nn.MultiheadAttention(4,2)", "m(a,b,b)[0]", [(5, 2, 4), (3, 2, 4)]),
    ("nn.MultiheadAttention(4,2)", "m(a,b,c)[1]", [(5, 2, 4), (3, 2, 4), (3, 2, 4)]),
    ("nn.MultiheadAttention(4,2,batch_first=True)",
     "m(a,a,a,need_weights=False,attn_mask=mask,key_padding_mask=pad)[0]",
     [(2, 5, 4)]),
    ("nn.MultiheadAttention(4,2,batch_first=True)",
     "m(a,a,a,attn_mask=mask,key_padding_mask=pad,average_attn_weights=False)[0]",
     [(2, 5, 4)]),
    ("nn.MultiheadAttention(4,2,kdim=3,vdim=5,add_bias_kv=True,add_zero_attn=True)",
     "m(a,b,c)[0]",
     [(5, 2, 4), (3, 2, 3), (3, 2, 5)]),
    ("nn.MultiheadAttention(4,2)", "m(a,a,a)[0]", [(5, 4)]),
    ("nn.MultiheadAttention(4,2)",
     "m(a,a,a,is_causal=True,attn_mask=mask,need_weights=False)[0]",
     [(5, 2, 4)]),
    ("nn.TransformerEncoderLayer(4,2,8,dropout=0.)", "m(a)", [(5, 2, 4)]),
    ("nn.TransformerEncoderLayer(4,2,8,dropout=0.,norm_first=True,activation='gelu',"
     "batch_first=True)",
     "m(a,src_mask=mask)",
     [(2, 5, 4)]),
    ("nn.TransformerDecoderLayer(4,2,8,dropout=0.)", "m(a,b)", [(5, 2, 4), (3, 2, 4)]),
    ("nn.TransformerEncoder(nn.TransformerEncoderLayer(4,2,8,dropout=0.,batch_first=True),"
     "2,norm=nn.LayerNorm(4))",
     "m(a,src_key_padding_mask=pad)",
     [(2, 5, 4)]),
    ("nn.Transformer(4,2,1,1,8,dropout=0.)",
     "m(a,b,tgt_mask=m.generate_square_subsequent_mask(3))",
     [(5, 2, 4), (3, 2, 4)]),
    ("nn.TransformerEncoderLayer(4,2,8)", "m(a)", [(5, 2, 4)]),
    ("nn.BatchNorm1d(3)", "m(a)+m(a*2)", [(5, 3)]),
    ("nn.BatchNorm2d(3,momentum=None)", "m(a)+m(a*2)", [(5, 3, 2, 2)]),
    ("nn.BatchNorm1d(3).eval()", "m(a)", [(5, 3)]),
    ("nn.InstanceNorm1d(3,affine=True,track_running_stats=True)", "m(a)+m(a*2)", [(2, 3, 5)]),
    ("nn.InstanceNorm2d(3)", "m(a)", [(3, 4, 4)]),
    ("nn.Embedding(4,3)", "m(idx)", []),
    ("nn.Embedding(4,3,max_norm=1.)", "m(idx)", []),
    ("nn.EmbeddingBag(4,3)", "m(idx)", []),
    ("nn.Dropout(.3)", "m(a)", [(5, 3)]),
    ("nn.Dropout2d(.3)", "m(a)", [(5, 3, 2, 2)]),
    ("nn.AlphaDropout(.3)", "m(a)", [(5, 3)]),
    ("nn.FeatureAlphaDropout(.3)", "m(a)", [(5, 3, 2, 2)]),
    ("nn.RReLU()", "m(a)", [(5, 3)]),
    ("nn.PReLU(3)", "m(a)", [(5, 3)]),
    ("nn.Bilinear(3,2,4)", "m(a,b)", [(5, 3), (5, 2)]),
    ("nn.Conv2d(2,4,3,padding=1,padding_mode='reflect')", "m(a)", [(2, 2, 5, 5)]),
    ("nn.Conv2d(2,4,4,padding='same',padding_mode='circular')", "m(a)", [(2, 2, 5, 5)]),
    ("nn.ConvTranspose2d(2,4,3,stride=2)", "m(a,output_size=(8,8))", [(2, 2, 3, 3)]),
    ("nn.MaxUnpool2d(2)", "m(*F.max_pool2d(a,2,return_indices=True))", [(2, 2, 4, 4)]),
    ("nn.MaxUnpool1d(2)", "m(*F.max_pool1d(a,2,return_indices=True))", [(2, 2, 4)]),
    ("nn.CrossEntropyLoss(label_smoothing=.1)", "m(a,lab)", [(3, 4)]),
    ("nn.TripletMarginWithDistanceLoss()", "m(a,b,c)", [(3, 4), (3, 4), (3, 4)]),
    ("nn.Sequential(nn.Linear(3,4),nn.LayerNorm(4),nn.GELU(),nn.Linear(4,2))", "m(a)", [(5, 3)]),
    ("nn.Softmax()", "m(a)", [(5, 3)]),
    ("nn.Upsample(scale_factor=2)", "m(a)", [(1, 2, 3, 3)]),
    ("nn.GLU()", "F.gumbel_softmax(m(a))", [(5, 4)]),
    ("nn.GLU()", "F.gumbel_softmax(m(a),hard=True)", [(5, 4)]),
]


def run(torch, layer, call, shapes):
    """Sums that characterise outputs, gradients of inputs and parameters, and buffers."""
    rng = np.random.RandomState(1)
    torch.manual_seed(0)
    module = eval(layer, {"nn": torch.nn})
    scope = {
        "m": module, "F": torch.nn.functional,
        "idx": torch.tensor([[0, 2, 1], [2, 2, 0]]), "lab": torch.tensor([0, 2, 1]),
        "mask": torch.ones(5, 5, dtype=torch.bool).triu(1),
        "pad": torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]], dtype=torch.bool),
    }
    leaves = []
    for name, shape in zip("abc", shapes):
        values = rng.standard_normal(shape).tolist()
        scope[name] = torch.tensor(values, dtype=torch.float32, requires_grad=True)
        leaves.append(scope[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = eval(call, scope)
    weights = rng.standard_normal(tuple(out.shape)).tolist()
    out.backward(torch.tensor(weights, dtype=out.dtype))
    tensors = [out.detach(), *(t.grad for t in leaves), *(p.grad for p in module.parameters()),
               *(b.detach() for b in module.buffers())]
    return [0.0 if t is None else float(f"{t.double().pow(2).sum().item():.7g}") for t in tensors]


def run_all(torch):
    return {f"{layer}: {call} {shapes}": run(torch, layer, call, shapes)
            for layer, call, shapes in RUNS}
